#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// One schedule of the laboratory: a kind, what was set of each kind (kept while another is shown), and
/// the curves of the drawn kinds. A value type.
struct LabSchedule {
    std::string kind;                                                  ///< "" = none
    std::map<std::string, std::map<std::string, std::string>> values;  ///< kind -> key -> text
    std::map<std::string, FreeCurve> curves;                           ///< drawn kind -> curve
    std::string file;  ///< the name of the file the curve came from or went to, while it is that curve

    [[nodiscard]] bool drawn() const;
    [[nodiscard]] const FreeCurve& curve() const;  ///< of a drawn kind
    /// What a drawn kind has beside its curve, as far as this kind has it too; else the usual.
    [[nodiscard]] FreeSettings settings() const;
    /// The same with a noise factor of 1: the levels as training logs them.
    [[nodiscard]] LabSchedule withoutFactor() const;
    /// Becomes the drawn kind of the curve.
    void draw(const FreeCurve& curve, const FreeSettings& settings);
    /// Null for "none". Values within their fields' limits cannot fail; drawn curves may be broken.
    [[nodiscard]] std::unique_ptr<NoiseSchedule> make() const;
    /// What a setting that names a schedule takes: an id, or the points. Errors: those of check().
    [[nodiscard]] Result<std::string> settingText() const;
    /// The same where no parameters stand beside it: the points of a curve whose parameters (steps apart) are
    /// not the kind's defaults.
    [[nodiscard]] Result<std::string> wholeText() const;
    /// The parameters that settings beside it may take, by plain key; of a drawn kind without its points.
    [[nodiscard]] std::map<std::string, std::string> parameters() const;

    friend bool operator==(const LabSchedule& a, const LabSchedule& b) {
        return a.kind == b.kind && a.values == b.values && a.curves == b.curves && a.file == b.file;
    }
};

}  // namespace kurve::schedule
