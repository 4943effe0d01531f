"""Win chances and costs in figures: the one place that rounds them."""


def percent_of_chance(chance: float) -> str:
    """A win chance of -1..1 as ``62 %`` of 0 to 100."""
    return f"{50 * (1 + chance):.0f} %"


def points_of_cost(cost: float) -> str:
    """What a move costs, 0..2 of win chance, as percentage points of 0 to 100: ``18``."""
    return f"{50 * cost:.0f}"
