"""Random numbers of Kurve, computed again: Philox4x32-10 (Salmon et al., SC 2011) with numpy's integers.

A stream is named by a seed, a purpose and a step; a value by its row and its element in the row. The logarithm, sine
and cosine of Box-Muller are numpy's, in float64.
"""
import numpy as np

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF


def philox(counter, key):
    """Ten rounds over one counter of four 32-bit words."""
    c, (k0, k1) = list(counter), key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & MASK32, (p0 >> 32) ^ c[3] ^ k1, p0 & MASK32]
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return c


# Known answers of Random123 (kat_vectors): a zero counter and key, and all bits set.
assert philox([0] * 4, (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([MASK32] * 4, (MASK32, MASK32)) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK64
    return value


class Stream:
    """Elements of a row come in groups of 64: element e of a group is word e // 16 of block e % 16."""

    def __init__(self, seed, purpose, step):
        self.key = splitmix(seed) ^ splitmix(fnv1a(purpose))
        self.step = step

    def block(self, row, element):
        group, within = divmod(element, 64)
        index = (row << 30) + 16 * group + within % 16
        counter = [index & MASK32, index >> 32, self.step & MASK32, self.step >> 32]
        return philox(counter, (self.key & MASK32, self.key >> 32)), within // 16

    def uniform(self, row, element=0):
        """[0, 1) of 24 bits: exact in float32."""
        block, word = self.block(row, element)
        return (block[word] >> 8) * 2.0**-24

    def normal(self, row, element):
        """Words 0 and 1 of a block are radius and angle of its words 0 and 1, 2 and 3 of the others."""
        block, word = self.block(row, element)
        first = word - word % 2
        u = ((block[first] >> 1) + 1) * 2.0**-31
        angle = 2 * np.pi * block[first + 1] / 2.0**32
        return np.sqrt(-2 * np.log(u)) * (np.cos(angle) if word == first else np.sin(angle))

    def normals(self, row, shape):
        count = int(np.prod(shape))
        return np.array([self.normal(row, e) for e in range(count)]).reshape(shape)
