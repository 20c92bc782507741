#pragma once

#include <QComboBox>

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

}  // namespace kurve::views
