#include "views/common/form/saved_controls.h"

#include <QMetaProperty>
#include <QSignalBlocker>
#include <algorithm>

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

LastingChoiceBox::LastingChoiceBox(QWidget* parent) : QComboBox(parent) {
    const auto take = [this] { wanted_ = currentData().toString(); };
    connect(this, &QComboBox::currentIndexChanged, this, take);
    connect(this, &QComboBox::activated, this, take);  // also of the item that is shown instead of another
}

void LastingChoiceBox::offer(const BoxChoices& items) {
    const QSignalBlocker quiet(this);
    offerItems(*this, items, wanted_);
}

void LastingChoiceBox::want(const QString& id) {
    if (count() > 0) setCurrentIndex(std::max(0, findData(id)));
    wanted_ = id;
}

}  // namespace kurve::views
