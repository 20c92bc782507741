#pragma once

#include <QString>

class QLabel;

namespace kurve::views {

/// Sets the text of a label that changes several times a second. The label keeps its size while the text
/// fits, so that the window is not laid out again.
void setReservedText(QLabel& label, const QString& text);

}  // namespace kurve::views
