#pragma once

#include <QComboBox>
#include <QJsonObject>
#include <QList>
#include <QString>

#include "views/common/form/choice_box.h"

namespace kurve::views {

/// The values of controls by their object names, for a session: of a box with fixed items the data of the
/// chosen one, of any other control its user property.
[[nodiscard]] QJsonObject saveControls(const QList<QWidget*>& controls);
/// What is not in `saved`, or is no value of the control, leaves it as it is.
void restoreControls(const QList<QWidget*>& controls, const QJsonObject& saved);

/// A box whose items come and go (with runs, with traces): the choice stays for the items that have it, and
/// is saved.
class LastingChoiceBox : public QComboBox {
    Q_OBJECT
    Q_PROPERTY(QString wanted READ wanted WRITE want USER true)
public:
    explicit LastingChoiceBox(QWidget* parent = nullptr);
    /// Emits nothing; without the wanted item the first one is current.
    void offer(const BoxChoices& items);
    [[nodiscard]] const QString& wanted() const { return wanted_; }  ///< the data of an item
    void want(const QString& id);

private:
    QString wanted_;
};

}  // namespace kurve::views
