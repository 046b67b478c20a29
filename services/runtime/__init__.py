"""What the three servers share: settings, logging, faults over gRPC, channels, serving."""
