"""Errors that the user can fix."""


class BuildError(Exception):
    """A failure reported to the user: what is wrong, and what to do."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)  # both, so that it survives the way back from a reader's process
        self.what = what
        self.remedy = remedy
