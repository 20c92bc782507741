#include "views/common/form/style_property.h"

#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace kurve::views {

void setStyleProperty(QWidget& control, const char* name, const QVariant& value) {
    const QVariant before = control.property(name);
    if (before.isValid() ? before == value : value == QVariant(false)) return;
    control.setProperty(name, value);
    control.style()->unpolish(&control);
    control.style()->polish(&control);
}

}  // namespace kurve::views
