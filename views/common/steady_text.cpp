#include "views/common/steady_text.h"

#include <QLabel>

#include "views/common/theme.h"

namespace kurve::views {

void setSteadyText(QLabel& label, const QString& text) {
    if (label.text() == text) return;
    label.setText(text);
    const QSize wanted = label.sizeHint();
    const int room = px(24), width = label.maximumWidth();
    const bool fits = wanted.width() <= width && wanted.width() > width - 3 * room &&
                      wanted.height() == label.maximumHeight();
    if (text.isEmpty())
        label.setFixedSize(0, label.height());
    else if (!fits)
        label.setFixedSize(wanted.width() + room, wanted.height());
}

}  // namespace kurve::views
