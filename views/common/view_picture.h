#pragma once

#include <QImage>
#include <QString>
#include <QWidget>

#include "core/base/result.h"

namespace kurve::views {

/// A view as a figure in print style: light whatever the theme is, with a caption below. Lines, dots and
/// texts are vectors in svg and pdf; what a view draws on the GPU or as an image stays an image, and so
/// becomes (at three times the screen's resolution) what is partly scrolled out of sight. GUI thread.
[[nodiscard]] QImage viewImage(QWidget& view, const QString& caption);
/// By the suffix: svg, pdf or png. Errors: io.write, export.format.
Status writePicture(QWidget& view, const QString& file, const QString& caption);

}  // namespace kurve::views
