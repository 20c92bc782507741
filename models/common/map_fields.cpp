#include "models/common/map_fields.h"

#include <fmt/format.h>

#include "core/curve/spline.h"

namespace kurve::models {
namespace {

class InputGainWatch final : public alerts::FamilyWatch {
public:
    [[nodiscard]] const char* id() const override { return "input_gain"; }
    [[nodiscard]] const char* doc() const override { return "the map of the sentence curve amplifies noise"; }
    std::optional<std::string> observe(std::int64_t /*step*/,
                                       const std::map<std::string, double>& scalars) override {
        const auto gain = scalars.find(kInputGain);
        if (gain == scalars.end() || !(gain->second > curve::kHighInputGain)) return std::nullopt;
        return fmt::format(
            "the sentence curve's map amplifies noise {:.3g}-fold (input gain; above {:g} ill-conditioned "
            "directions dominate); set map.rho to 1.2 or more, or map.ridge to 0.01",
            gain->second, curve::kHighInputGain);
    }
};

}  // namespace

std::vector<FieldSpec> mapFields() {
    return {
        choiceField(
            "map.kind", "spline", {"spline", "repeat", "band", "smooth", "identity"},
            "map from words to tokens: the sentence curve; each word repeated; random weights in the curve's "
            "band; no curve, but each input mixed with its neighbours, 1/4 1/2 1/4; or the identity")
            .from("SCLM, section 4.2; controls by Kurve"),
        realField("map.rho", 2.0, "control points per word, M/L; the paper's r is read as rho = 1 + r")
            .range(0.05, 16)
            .from("SCLM, Table 3"),
        realField("map.kappa", 0.01, "degree as a fraction of the control points, at least 2")
            .range(0, 0.99)
            .from("SCLM, Table 3"),
        integerField("map.degree", 0, "fixed polynomial degree; 0 = by map.kappa")
            .range(0, 64)
            .from("SCLM, Table 3"),
        realField("map.margin", 0.01, "distance epsilon of the first and last word from the curve's ends")
            .range(0, 0.49)
            .from("SCLM, section 4.1 (margin left open there)"),
        flagField("map.adaptive_margin", false, "epsilon = min(map.margin, 1/(2L))")
            .from("SCLM, section 4.1"),
        choiceField("map.knots", "clamped", {"clamped", "unclamped"}, "knot vector")
            .from("SCLM, section 4.1 (knots left open there)"),
        realField("map.ridge", 0.0,
                  "lambda of the ridge inverse; 0 = Moore-Penrose. 0.01 regularises ill-conditioned maps")
            .range(0, 10)
            .from("SCLM, appendix C.2; ridge by Kurve"),
        choiceField("map.positions", "index", {"index", "greville"},
                    "positions of control points: 1..M, or those of words at their Greville abscissae")
            .from("SCLM, section 4.2 (left open there)"),
        integerField("map.curves", 1, "curves N predicted at once and mixed by a scorer")
            .range(1, 16)
            .from("SCLM, section 4.2, N-curve prediction"),
        integerField("map.lift_layer", 0,
                     "layers that work on words before the map to control points; 0 = none, as in the paper")
            .range(0, 64)
            .from("Kurve: most of the decoder at the cost of words")
            .neutralByDefault(),
    };
}

Status checkMap(const RunConfig& config, const train::TextShape& shape, std::int64_t layers) {
    if (config.text("map.kind") == "repeat" && config.real("map.rho") < 1)
        return requestError("map.control_points", "a word is repeated at least once")
            .at("map.rho")
            .fix("set map.rho to 1 or more");
    // Below three control points the rule's minimum applies and rho has no effect at any length.
    const double longest = config.real("map.rho") * static_cast<double>(shape.maxLength);
    if (config.text("map.kind") == "spline" && longest + 0.5 < 3)
        return requestError("map.control_points",
                            fmt::format("{} control points per word are fewer than 3 even for the longest "
                                        "sentence ({} tokens)",
                                        config.real("map.rho"), shape.maxLength))
            .at("map.rho")
            .fix(fmt::format("set map.rho to at least {:.2f}; 1.2 to 3 is usual",
                             2.5 / static_cast<double>(shape.maxLength)));
    if (config.integer("map.lift_layer") >= layers)
        return requestError("map.lift_layer",
                            fmt::format("{} layers on words leave none of {} for the control points",
                                        config.integer("map.lift_layer"), layers))
            .at("map.lift_layer")
            .fix(fmt::format("choose 0 to {}", layers - 1));
    return {};
}

ScalarSpec inputGainScalar() {
    return {kInputGain, "Input gain", "", "largest factor by which the map to the words amplifies noise",
            false,      true};
}

std::unique_ptr<alerts::FamilyWatch> inputGainWatch() {
    return std::make_unique<InputGainWatch>();
}

}  // namespace kurve::models
