// Anchors the precompiled torch header; it has no code of its own.
