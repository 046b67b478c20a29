"""SQL over HTTP: one engine, one adapter for each kind of endpoint; `http_client` is the only way out."""
