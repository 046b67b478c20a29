"""The environment of a Pi child: an allow list, and an agent folder of ThothII's own."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROVIDER_KEYS = frozenset(
    """
    AI_GATEWAY_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_OAUTH_TOKEN
    ANTHROPIC_FEDERATION_RULE_ID ANTHROPIC_IDENTITY_TOKEN_FILE ANTHROPIC_ORGANIZATION_ID
    ANTHROPIC_SERVICE_ACCOUNT_ID ANTHROPIC_WORKSPACE_ID ANT_LING_API_KEY AWS_ACCESS_KEY_ID
    AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_REGION AWS_BEARER_TOKEN_BEDROCK
    AWS_WEB_IDENTITY_TOKEN_FILE AZURE_OPENAI_API_KEY AZURE_OPENAI_BASE_URL BASETEN_API_KEY
    CEREBRAS_API_KEY CLOUDFLARE_ACCOUNT_ID CLOUDFLARE_API_KEY COPILOT_GITHUB_TOKEN DEEPSEEK_API_KEY
    FIREWORKS_API_KEY GEMINI_API_KEY GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_LOCATION
    GOOGLE_CLOUD_PROJECT GROQ_API_KEY HF_TOKEN KIMI_API_KEY META_API_KEY MINIMAX_API_KEY
    MINIMAX_CN_API_KEY MISTRAL_API_KEY MOONSHOT_API_KEY NVIDIA_API_KEY OPENAI_API_KEY
    OPENCODE_API_KEY OPENROUTER_API_KEY QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY
    QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY QWEN_TOKEN_PLAN_TEAM_API_KEY
    QWEN_TOKEN_PLAN_TEAM_CN_API_KEY RADIUS_API_KEY TOGETHER_API_KEY TYPESAFE_API_KEY XAI_API_KEY
    XIAOMI_API_KEY XIAOMI_TOKEN_PLAN_AMS_API_KEY XIAOMI_TOKEN_PLAN_CN_API_KEY
    XIAOMI_TOKEN_PLAN_SGP_API_KEY ZAI_API_KEY ZAI_CODING_CN_API_KEY
    """.split()  # noqa: SIM905
)
"""Variables from which the providers of Pi 1.6.0 take credentials, by its documentation."""

PLAIN = frozenset(
    """
    HOME USER LOGNAME LANG LC_ALL LC_CTYPE LC_MESSAGES TZ HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
    http_proxy https_proxy no_proxy all_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
    PI_OFFLINE
    """.split()  # noqa: SIM905
)
"""Variables without secrets that decide how any program runs."""

LINKED = ("auth.json", "models.json")
"""Files of the operator's agent folder that ThothII's own one shows; its settings are ThothII's alone."""


@dataclass(frozen=True, slots=True)
class Places:
    """Folders a child uses."""

    home: Path
    agent_dir: Path
    cache_dir: Path
    node_directory: str


def child_environment(
    inherited: Mapping[str, str], places: Places, further: str, own: Mapping[str, str]
) -> dict[str, str]:
    """What a child sees: allowed variables of the orchestrator, then `own`, and nothing else.

    Args:
        inherited: the orchestrator's environment.
        places: the child's folders.
        further: names the operator allows beside the lists, separated by commas.
        own: what is this child's alone.
    """
    allowed = PROVIDER_KEYS | PLAIN | {name.strip() for name in further.split(",") if name.strip()}
    environment = {name: value for name, value in inherited.items() if name in allowed}
    paths = [places.node_directory, str(Path(sys.executable).parent), inherited.get("PATH", os.defpath)]
    environment |= {
        "PATH": os.pathsep.join(path for path in paths if path),
        "LANG": inherited.get("LANG", "C.UTF-8"),
        "TMPDIR": str(places.cache_dir),
        "PI_CODING_AGENT_DIR": str(places.agent_dir),
        "THT_HOME": str(places.home),
    }
    return environment | dict(own)


def prepare_agent_dir(agent_dir: Path, operator_dir: Path) -> None:
    """Make ThothII's agent folder, with links to the operator's credentials and models.

    A file that Pi itself made here is replaced once the operator has one; a link to nothing is removed.
    """
    agent_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in LINKED:
        link, target = agent_dir / name, operator_dir / name
        if link.is_symlink() and link.readlink() == target and target.exists():
            continue
        if not target.exists():
            if link.is_symlink():
                link.unlink()
            continue
        fresh = agent_dir / f".{name}.{os.getpid()}"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(target)
        fresh.replace(link)


def operator_agent_dir(configured: str, inherited: Mapping[str, str]) -> Path:
    """Where the operator's own Pi keeps its files."""
    named = configured or inherited.get("PI_CODING_AGENT_DIR", "")
    return Path(named).expanduser() if named else Path.home() / ".pi" / "agent"
