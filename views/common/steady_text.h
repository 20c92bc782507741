#pragma once

#include <QString>

class QLabel;

namespace kurve::views {

/// Sets the text of a label that changes several times a second. The label keeps its size while the text
/// fits: a label of another size would lay out the whole window again.
void setSteadyText(QLabel& label, const QString& text);

}  // namespace kurve::views
