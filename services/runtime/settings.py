"""The base of every service's settings: typed, documented, from the environment."""

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ServiceSettings(BaseSettings):
    """Settings all services have. Each field has a description; docs/settings.md is made of them.

    An address is `unix:/path` or `host:port`.
    """

    model_config = SettingsConfigDict(env_prefix="THOTHII_", extra="ignore", frozen=True)

    service_token: SecretStr = Field(
        default=SecretStr(""),
        description="Shared by the services; each call between them must carry it. Required on TCP addresses "
        "that are not loopback.",
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")
    orchestrator_address: str = Field(
        default="127.0.0.1:50151", description="Where the orchestrator listens: unix:/path or host:port."
    )
    executor_address: str = Field(
        default="127.0.0.1:50152", description="Where the tht-executor listens: unix:/path or host:port."
    )


def is_local(address: str) -> bool:
    """True when only processes of this machine can reach `address`."""
    host = address.rpartition(":")[0].strip("[]")
    return address.startswith("unix:") or host in {"127.0.0.1", "localhost", "::1"}
