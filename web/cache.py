"""Answers that are kept as long as the library stays as it is: steps through a trap ask the same again and again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

T = TypeVar("T")

MOST = 512
"""Answers; who was asked for the longest time ago goes first."""


class Kept:
    """What was found for a state of the library. Any number of threads may ask."""

    def __init__(self, most: int = MOST) -> None:
        """Nothing is kept yet; ``most`` answers will be at most, 1 or more."""
        self._most = most
        self._state: str | None = None
        self._answers: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, state: str | None, question: Hashable, find: Callable[[], T]) -> T:
        """The answer to a question, which ``find`` finds unless it is known.

        ``state`` is that of the library before the question, another text whenever it may have changed; None if nobody
        can tell, in which case nothing is kept. A question always has an answer of the same type.
        """
        if state is None:
            return find()
        with self._lock:
            if state != self._state:
                self._answers.clear()
                self._state = state
            if question in self._answers:
                self._answers.move_to_end(question)
                return cast(T, self._answers[question])
        answer = find()
        with self._lock:
            if state == self._state:
                self._answers[question] = answer
                while len(self._answers) > self._most:
                    self._answers.popitem(last=False)
        return answer
