"""What all tests share: Hypothesis never fails a test for being slow, since no test depends on a clock."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("adidem", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("adidem-ci", parent=settings.get_profile("adidem"), derandomize=True)
settings.load_profile("adidem-ci" if os.environ.get("CI") else "adidem")
