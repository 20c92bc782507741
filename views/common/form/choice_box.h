#pragma once

#include <QComboBox>
#include <QList>
#include <utility>

namespace kurve::views {

class ChoiceList;

/// Items of a box: id and title.
using BoxChoices = QList<std::pair<QString, QString>>;
/// Offers these items, in a list as wide as they are; `chosen` or else the first one is current. Unchanged
/// items are left alone.
void offerItems(QComboBox& box, const BoxChoices& items, const QString& chosen);

/// A box whose items come and go (with runs, with traces): the choice stays for the items that have it, and
/// is saved.
class LastingChoiceBox : public QComboBox {
    Q_OBJECT
    Q_PROPERTY(QString wanted READ wanted WRITE want USER true)
public:
    explicit LastingChoiceBox(QWidget* parent = nullptr);
    /// Emits nothing; without the wanted item `otherwise` is current, or else the first one.
    void offer(const BoxChoices& items, const QString& otherwise = {});
    [[nodiscard]] const QString& wanted() const { return wanted_; }  ///< the data of an item
    void want(const QString& id);                                    ///< current at once if it is offered

private:
    QString wanted_;
};

/// With many items it opens a list that is searched by typing, in which an item's data (an id) is found, too.
class ChoiceBox : public LastingChoiceBox {
    Q_OBJECT
public:
    /// The list is called "NAME.list" and has the title above its search.
    ChoiceBox(const QString& name, const QString& title, QWidget* parent = nullptr);
    void showPopup() override;
    /// What showPopup() opens where there are many items.
    [[nodiscard]] ChoiceList* list() const { return list_; }

private:
    ChoiceList* list_;
};

}  // namespace kurve::views
