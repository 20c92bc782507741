#include "views/common/form/saved_controls.h"

#include <QComboBox>
#include <QMetaProperty>

namespace kurve::views {

namespace {

/// A box that is no field and whose class has no value of its own.
QComboBox* choiceBox(QWidget* control, const QMetaProperty& value) {
    auto* box = qobject_cast<QComboBox*>(control);
    return box != nullptr && !box->isEditable() && QLatin1String(value.name()) == QLatin1String("currentText")
               ? box
               : nullptr;
}

}  // namespace

QJsonObject saveControls(const QList<QWidget*>& controls) {
    QJsonObject saved;
    for (QWidget* control : controls) {
        const QMetaProperty value = control->metaObject()->userProperty();
        const QComboBox* box = choiceBox(control, value);
        saved[control->objectName()] =
            QJsonValue::fromVariant(box != nullptr ? box->currentData() : value.read(control));
    }
    return saved;
}

void restoreControls(const QList<QWidget*>& controls, const QJsonObject& saved) {
    for (QWidget* control : controls) {
        const QVariant to = saved.value(control->objectName()).toVariant();
        const QMetaProperty value = control->metaObject()->userProperty();
        if (QComboBox* box = choiceBox(control, value); box != nullptr && box->findData(to) >= 0)
            box->setCurrentIndex(box->findData(to));
        else if (box == nullptr && to.isValid())
            value.write(control, to);
    }
}

}  // namespace kurve::views
