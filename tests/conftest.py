"""What holds for every test."""

import os

from hypothesis import HealthCheck, settings

# A busy machine makes no property false. In CI the same examples come each time; elsewhere new ones are tried.
settings.register_profile(
    "thothii",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("thothii")
