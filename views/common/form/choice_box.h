#pragma once

#include <QComboBox>
#include <QList>
#include <utility>

namespace kurve::views {

class ChoiceList;

/// A box with one selected item. With many items it opens a searchable list that is
/// searched by typing, in which an item's data (an id) is found, too.
class ChoiceBox : public QComboBox {
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

/// Items of a box: id and title.
using BoxChoices = QList<std::pair<QString, QString>>;
/// Offers these items, in a list as wide as they are; `chosen` or else the first one is current. Unchanged
/// items are left alone.
void offerItems(QComboBox& box, const BoxChoices& items, const QString& chosen);

}  // namespace kurve::views
