#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/frontier/sweep_point.h"

namespace kurve::frontier {

/// One setting and the values to try, in the order in which they were given.
struct Axis {
    std::string key;
    std::vector<std::string> values;
};

/// "sampler.steps=4,8,16" or a range "sampler.steps=5..20:5" (both ends, step 1 if left out; whole numbers or
/// decimals) or "train.lr=1e-4..1e-2:x10" (each ten times the one before). Values given twice count once.
/// Errors: sweep.bad_grid says what is wrong and shows the form.
Result<Axis> parseAxis(const std::string& text);

using Settings = std::map<std::string, std::string>;
/// Every combination of the axes, coarse first: the corners of the grid, then what halves the largest gaps,
/// so that an early stop still shows the whole front. Errors: sweep.too_many (above `limit`), sweep.bad_grid
/// (a key given twice).
Result<std::vector<Settings>> expand(const std::vector<Axis>& axes, std::size_t limit = 10000);

/// `count` different settings at random, the same ones for a seed: of a list each value is as likely as the
/// others; of one range without a step any number between its ends, whole ones if both ends are, evenly on a
/// logarithmic scale if it spans a factor of ten or more. Fewer where there are not so many. `axes` are texts
/// as for parseAxis. Errors: sweep.bad_grid.
Result<std::vector<Settings>> draw(const std::vector<std::string>& axes, std::size_t count,
                                   std::uint64_t seed);

/// Settings half way between neighbours on the Pareto front, where it bends or gaps most; none that is in
/// `points` already, at most `count`. Only settings that are whole numbers or decimals in both neighbours are
/// halved, whole numbers to whole numbers; the others stay as in the first.
[[nodiscard]] std::vector<Settings> refine(const std::vector<SweepPoint>& points, const std::string& quality,
                                           const std::string& diversity, std::size_t count);

/// Settings that change nothing: points that differ in one of them alone have the same texts and scores. In
/// alphabetical order.
[[nodiscard]] std::vector<std::string> settingsWithoutEffect(const std::vector<SweepPoint>& points);

}  // namespace kurve::frontier
