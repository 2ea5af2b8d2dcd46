"""Which changes of an object are worth a run, as data: judged before any code of yours wakes."""


class Predicate:
    """Combined with `&`, `|` and `~`: `generation_changed | labels_changed`."""

    def __init__(self, declared: dict) -> None:
        self.declared = declared

    def __and__(self, other: "Predicate") -> "Predicate":
        return Predicate({"type": "and", "of": [self.declared, other.declared]})

    def __or__(self, other: "Predicate") -> "Predicate":
        return Predicate({"type": "or", "of": [self.declared, other.declared]})

    def __invert__(self) -> "Predicate":
        return Predicate({"type": "not", "of": self.declared})

    def __repr__(self) -> str:
        return f"Predicate({self.declared!r})"


generation_changed = Predicate({"type": "generation"})
labels_changed = Predicate({"type": "labels"})
annotations_changed = Predicate({"type": "annotations"})
resource_version_changed = Predicate({"type": "resourceVersion"})


def cel(expression: str) -> Predicate:
    """CEL over `object` and, of an update, `oldObject`."""
    return Predicate({"type": "cel", "expression": expression})
