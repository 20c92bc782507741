"""What the user can mend."""


class BuildError(Exception):
    """A failure told to the user: what happened, and what to do about it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)  # both, so that it survives the way back from a reader's process
        self.what = what
        self.remedy = remedy
