"""Settings of the gateway."""

from pydantic import Field

from contracts.errors import Code, Fault
from services.runtime.settings import ServiceSettings, is_local


class GatewaySettings(ServiceSettings):
    """What the gateway can be told by its environment (`THOTHII_GATEWAY_HOST` and so on)."""

    gateway_host: str = Field(default="127.0.0.1", description="Address the gateway listens on.")
    gateway_port: int = Field(default=8080, ge=0, le=65535, description="Port; 0 takes a free one.")
    gateway_auth: str = Field(
        default="none",
        pattern="^none$",
        description="How readers are known: `none` makes everybody dev@local.",
    )
    gateway_published_on_loopback: bool = Field(
        default=False,
        description="The operator's word that only this machine reaches the port although the address is "
        "public: a container's port published on 127.0.0.1. Else a public address needs authentication.",
    )
    gateway_allowed_hosts: str = Field(
        default="",
        description="Host names, separated by commas, under which readers may call it besides localhost.",
    )
    gateway_allowed_origins: str = Field(
        default="",
        description="Origins, separated by commas, whose pages may call it besides its own "
        "(https://console.example).",
    )
    gateway_heartbeat_s: float = Field(
        default=12.0,
        gt=0,
        le=15,
        description="Seconds of silence after which an event stream gets a comment.",
    )
    gateway_reader_bytes: int = Field(
        default=12 * 1024 * 1024,
        ge=64 * 1024,
        description="Bytes that may wait for one reader of an event stream before it is cut off.",
    )
    gateway_retry_s: float = Field(
        default=10.0,
        ge=0,
        description="Seconds for which calls without effect wait for a service to come back.",
    )
    gateway_create_s: float = Field(
        default=60.0, gt=0, description="Seconds that starting a session's agent may take."
    )
    gateway_query_s: float = Field(default=300.0, gt=0, description="Seconds that a preview may take.")
    gateway_export_s: float = Field(default=3600.0, gt=0, description="Seconds that a download may take.")
    gateway_stop_s: float = Field(
        default=3.0, gt=0, description="Seconds that open requests have to end after a stop was asked for."
    )

    def check_bind(self) -> None:
        """Raises Fault INVALID_ARGUMENT when strangers could reach the gateway and it would know nobody."""
        if self.gateway_auth == "none" and not self.gateway_published_on_loopback:
            address = f"{self.gateway_host}:{self.gateway_port}"
            if not is_local(address):
                raise Fault(
                    Code.INVALID_ARGUMENT,
                    f"{address} is open to other machines and nobody has to sign in: listen on 127.0.0.1",
                )

    @property
    def hosts(self) -> frozenset[str]:
        """Allowed host names, lower case."""
        return frozenset(_items(self.gateway_allowed_hosts))

    @property
    def origins(self) -> frozenset[str]:
        """Allowed foreign origins, lower case."""
        return frozenset(_items(self.gateway_allowed_origins))


def _items(text: str) -> list[str]:
    return [item.strip().lower() for item in text.split(",") if item.strip()]
