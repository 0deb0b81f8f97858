# ===- random_ops - random nodes for every operator -----------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""One generator per operator: given a graph under construction it picks operands among the values that exist, or makes
new ones, and attributes, and returns a Node. A generator returns nothing where the graph has no fitting value.

`exact` operands hold numbers that float32 represents exactly whatever the order of evaluation: operators that jump
(Floor, ArgMax, comparisons) take only those, else a rounding difference of 1e-7 would become a different answer."""

from . import contractions, elementwise, movement, quantised_and_recurrent, rows  # noqa: F401  they fill the registry
from .registry import REGISTRY, Node

__all__ = ["REGISTRY", "Node"]
