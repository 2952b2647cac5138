# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Predicted beside measured: a row for each placement, and one for each configuration.

Ratios are of times: that of the placement by that of block in the same round. Below 1 is faster than block.
"""

import statistics

from estimate.half import half_of
from estimate.interval import bounds, half_width_percent, outside_percent
from estimate.rounds import NARROW_PERCENT, to_block


def _errors(predicted, measured, low, high):
    """How far outside of the interval, and from its median, in percent."""
    return outside_percent(predicted, low, high), 100 * abs(predicted - measured) / measured


def of_placements(configuration, measured, predicted, whole, fig4):
    """Of each placement that is not the same as one before it; block's is 1 by definition, and has none.

    @param predicted, whole, fig4  ratio by placement: by commmap as it is, by the port cost of the whole run, by Fig. 4 as printed
    """
    rows = []
    for name, ratios in to_block(measured["times_s"]).items():
        (low, high), median = bounds(ratios), statistics.median(ratios)
        error, plain = _errors(predicted[name], median, low, high)
        whole_error, whole_plain = _errors(whole[name], median, low, high)
        fig4_error, fig4_plain = _errors(fig4[name], median, low, high)
        rows.append({
            "configuration": configuration.name, "program": configuration.program, "shape": configuration.shape,
            "ranks": configuration.ranks, "placement": name, "half": half_of(configuration.name), "foreign": configuration.foreign,
            "predicted_ratio": predicted[name], "measured_ratio": median, "interval": [round(low, 4), round(high, 4)],
            "error_percent": error, "plain_error_percent": plain, "whole_run_ratio": whole[name], "whole_run_error_percent": whole_error,
            "whole_run_plain_percent": whole_plain, "fig4_ratio": fig4[name], "fig4_error_percent": fig4_error,
            "fig4_plain_percent": fig4_plain, "rounds": len(ratios),
            "counts": half_width_percent(ratios) <= NARROW_PERCENT})
    return rows


def _times(measured, name):
    return measured["times_s"][measured["same_as"][name]]


def _ratio_of(times, base):
    return statistics.median(one / other for one, other in zip(times, base))


def _best_measured(measured):
    """The placement that was the fastest on odd rounds: what it gains is read on the even ones."""
    odd = {name: values[::2] for name, values in measured["times_s"].items()}
    return min(odd, key=lambda name: _ratio_of(odd[name], odd["block"]))


def of_configuration(configuration, measured):
    """What auto gains, beside the better of Slurm's two placements and beside the best one known."""
    block, cyclic, auto = (_times(measured, name) for name in ("block", "cyclic", "auto"))
    better = cyclic if _ratio_of(cyclic, block) < 1 else block
    over_better = [one / other for one, other in zip(auto, better)]
    best = _best_measured(measured)
    even = {name: values[1::2] for name, values in measured["times_s"].items()}
    even_auto = even[measured["same_as"]["auto"]]
    gain, own_gain = 1 - _ratio_of(even[best], even["block"]), 1 - _ratio_of(even_auto, even["block"])
    low, high = bounds(over_better)
    return {
        "configuration": configuration.name, "half": half_of(configuration.name), "ranks": configuration.ranks,
        "auto_over_better": statistics.median(over_better), "auto_over_better_interval": [round(low, 4), round(high, 4)],
        "best": best, "best_mapper": measured["best_mapper"] if measured["same_as"]["best"] == best else "",
        "best_gain_percent": 100 * gain, "auto_gain_percent": 100 * own_gain,
        "auto_share": own_gain / gain if gain > 0 else None, "auto_over_best": _ratio_of(even_auto, even[best]),
        "same": ",".join(f"{name}={first}" for name, first in measured["same_as"].items() if name != first),
        "block_s": statistics.median(block), "rounds": len(block), "noisy": measured["noisy"], "lost": measured["lost"],
        "seconds": measured["seconds"]}
