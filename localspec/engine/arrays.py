"""The two kinds of array that the engine works on. Apart, so that its interface needs no numpy."""

import numpy as np
import numpy.typing as npt

Tokens = npt.NDArray[np.int32]
Logits = npt.NDArray[np.float32]
