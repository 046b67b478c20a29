"""What holds for every test."""

import os

from hypothesis import HealthCheck, settings

# A busy machine makes no property false. CI tries the same examples each time, other machines new ones.
settings.register_profile(
    "thothii",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("thothii")
