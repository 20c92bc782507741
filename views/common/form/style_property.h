#pragma once

class QVariant;
class QWidget;

namespace kurve::views {

/// Sets a property by which the style sheet tells controls apart ("role", "invalid"); if it differs, the
/// control is styled anew. GUI thread.
void setStyleProperty(QWidget& control, const char* name, const QVariant& value);

}  // namespace kurve::views
