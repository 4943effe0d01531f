"""Places in which uploads are worked on: so many in all, and half of them at most for one address."""

from collections import Counter

from trapline.web.metrics import Metrics
from trapline.web.problems import Overloaded, RateLimited


class UploadSlots:
    """The places of one server; they belong to its event loop."""

    def __init__(self, most: int, metrics: Metrics) -> None:
        """``most``, 1 or more, places."""
        self._most, self._most_of_address = most, max(1, most // 2)
        self._taken: Counter[str] = Counter()
        self._metrics = metrics

    def check(self, address: str) -> None:
        """Raise `RateLimited` if the address has as many places as one may have, and `Overloaded` if none is free.

        Called before an upload is received.
        """
        if self._taken[address] >= self._most_of_address:
            raise RateLimited(
                "your address has as many uploads at work as one may have, {most}; wait until one is done",
                {"Retry-After": "10"},
                most=self._most_of_address,
            )
        if self._taken.total() >= self._most:
            raise Overloaded(
                "{count} uploads are being annotated, which is as many as are at once; try again later",
                {"Retry-After": "10"},
                count=self._most,
            )

    def acquire(self, address: str) -> None:
        """Take a place for an address, when an upload has been received. Raises as `check` does."""
        self.check(address)
        self._taken[address] += 1
        self._metrics.annotations.inc()

    def release(self, address: str) -> None:
        """Give back a place of an address."""
        self._taken[address] -= 1
        self._taken = +self._taken
        self._metrics.annotations.dec()
