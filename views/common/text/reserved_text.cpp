#include "views/common/text/reserved_text.h"

#include <QLabel>

#include "views/common/theme/theme.h"

namespace kurve::views {

void setReservedText(QLabel& label, const QString& text) {
    if (label.text() == text) return;
    label.setText(text);
    const QSize wanted = label.sizeHint();
    const int reserve = px(24), width = label.maximumWidth();
    const bool fits = wanted.width() <= width && wanted.width() > width - 3 * reserve &&
                      wanted.height() == label.maximumHeight();
    if (text.isEmpty())
        label.setFixedSize(0, label.height());
    else if (!fits)
        label.setFixedSize(wanted.width() + reserve, wanted.height());
}

}  // namespace kurve::views
