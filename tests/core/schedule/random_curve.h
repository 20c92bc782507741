#pragma once

#include <rapidcheck.h>

#include <cmath>

#include "core/schedule/free_curve.h"

namespace kurve::schedule::test {

/// A real number in [low, high], with some weight on the ends.
inline rc::Gen<double> realIn(double low, double high) {
    return rc::gen::map(rc::gen::inRange(0, 1000001),
                        [=](int part) { return low + (high - low) * part / 1e6; });
}

/// Any curve that passes check(): 2 to 14 points, gaps of times and log-SNRs over four orders of magnitude.
inline rc::Gen<FreeCurve> anyCurve() {
    const auto gaps = rc::gen::container<std::vector<std::pair<double, double>>>(
        rc::gen::pair(realIn(-4, 0), realIn(-3, 1)));
    return rc::gen::apply(
        [](std::vector<std::pair<double, double>> logs, double from, double span, bool zero) {
            logs.resize(std::min<std::size_t>(logs.size(), 12));
            logs.push_back({-1, 0});
            double time = 0, fall = 0;
            for (const auto& [t, f] : logs) {
                time += std::pow(10, t);
                fall += std::pow(10, f);
            }
            FreeCurve curve;
            curve.zeroTerminal = zero;
            curve.points.push_back({0, from});
            double t = 0, f = 0;
            for (const auto& [logT, logF] : logs) {
                t += std::pow(10, logT) / time;
                f += std::pow(10, logF) / fall;
                curve.points.push_back({t, from - span * f});
            }
            curve.points.back().t = 1;
            return curve;
        },
        gaps, realIn(0, 14), realIn(1, 28), rc::gen::arbitrary<bool>());
}

}  // namespace kurve::schedule::test
