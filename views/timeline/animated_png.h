#pragma once

#include <QByteArray>
#include <QImage>
#include <vector>

#include "core/base/result.h"

namespace kurve::views {

/// Pictures of one size as an animated PNG (endless; readers without APNG show the first). Each picture after
/// the first holds only what changed. `milliseconds` per picture, the last one stays five times as long. Any
/// thread. Source: PNG specification, third edition (acTL, fcTL, fdAT). Errors: export.no_pictures,
/// export.png.
[[nodiscard]] Result<QByteArray> animatedPng(const std::vector<QImage>& pictures, int milliseconds);

}  // namespace kurve::views
