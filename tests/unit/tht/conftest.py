"""Property tests have no deadline of their own: the machine may be busy, and pytest has one."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
