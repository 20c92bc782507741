#include "views/common/form/controls.h"

#include <QComboBox>
#include <QVariant>

namespace kurve::views::detail {

namespace {

void set(QWidget& control, const char* property, const QVariant& value) {
    [[maybe_unused]] const bool known = control.setProperty(property, value);
    Q_ASSERT(known);
}

}  // namespace

void describe(QWidget& control, QAnyStringView id, const QString& name, const QString& tip,
              const Look& look) {
    if (!id.isEmpty()) control.setObjectName(id);
    if (!name.isEmpty()) control.setAccessibleName(name);
    if (!tip.isEmpty()) control.setToolTip(tip);
    if (look.role != nullptr) control.setProperty("role", look.role);
    if (look.filled) control.setAttribute(Qt::WA_StyledBackground);
    if (!look.text.isEmpty()) set(control, "text", look.text);
    if (!look.placeholder.isEmpty()) set(control, "placeholderText", look.placeholder);
    if (look.format != Qt::AutoText) set(control, "textFormat", QVariant::fromValue(look.format));
    if (look.letters > 0) {
        set(control, "sizeAdjustPolicy",
            QVariant::fromValue(QComboBox::AdjustToMinimumContentsLengthWithIcon));
        set(control, "minimumContentsLength", look.letters);
    }
    if (look.wraps) set(control, "wordWrap", true);
    if (look.shrinks) control.setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    if (look.checkable) set(control, "checkable", true);
    if (look.clearable) set(control, "clearButtonEnabled", true);
    if (look.selectable)
        set(control, "textInteractionFlags",
            QVariant::fromValue(
                Qt::TextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard)));
    if (look.hidden) control.hide();
}

}  // namespace kurve::views::detail
