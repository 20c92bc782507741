#pragma once

#include <QStringList>

#include "core/config/field_spec.h"

namespace kurve::views {

/// "length penalty" of sampler.length_penalty.
[[nodiscard]] QString fieldLabel(const std::string& key);
/// "1 … 8", "≥ 1"; empty where there is no end.
[[nodiscard]] QString fieldRange(const FieldSpec& field);
/// Rich tooltip of a setting: what it is, range, default, where it comes from, and further remarks.
[[nodiscard]] QString fieldTip(const FieldSpec& field, const QStringList& more = {});

}  // namespace kurve::views
