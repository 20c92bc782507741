#include "views/common/form/choice_box.h"

#include <QAbstractItemView>
#include <QSignalBlocker>
#include <algorithm>
#include <vector>

#include "views/common/form/choice_list.h"
#include "views/common/form/controls.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kFew = 12;  ///< items that are read faster than one types

}  // namespace

LastingChoiceBox::LastingChoiceBox(QWidget* parent) : QComboBox(parent) {
    const auto take = [this] { wanted_ = currentData().toString(); };
    connect(this, &QComboBox::currentIndexChanged, this, take);
    connect(this, &QComboBox::activated, this, take);  // also of the item that is shown instead of another
}

void LastingChoiceBox::offer(const BoxChoices& items, const QString& otherwise) {
    const QSignalBlocker quiet(this);
    const bool offered = std::ranges::find(items, wanted_, &BoxChoices::value_type::first) != items.end();
    offerItems(*this, items, offered ? wanted_ : otherwise);
}

void LastingChoiceBox::want(const QString& id) {
    if (const int row = findData(id); row >= 0) setCurrentIndex(row);
    wanted_ = id;
}

ChoiceBox::ChoiceBox(const QString& name, const QString& title, QWidget* parent)
    : LastingChoiceBox(parent),
      list_(new ChoiceList(ChoiceList::Kind::Single, name + QStringLiteral(".list"), title, this)) {
    describe(this, name, title, title);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(list_, &ChoiceList::chosen, this, [this](const QString& id) {
        const int index = id.toInt();
        if (index < 0 || index >= count()) return;  // the items changed meanwhile
        setCurrentIndex(index);
        Q_EMIT activated(index);
        setFocus(Qt::PopupFocusReason);
    });
}

void ChoiceBox::showPopup() {
    if (count() <= kFew) return QComboBox::showPopup();
    std::vector<Choice> choices;
    for (int i = 0; i < count(); ++i) {
        const QString id = itemData(i).toString().section(QLatin1Char(':'), -1);
        Choice choice;
        choice.id = QString::number(i);
        choice.title = itemText(i);
        choice.note = id == choice.title ? QString() : id;
        choices.push_back(std::move(choice));
    }
    list_->setChoices(std::move(choices));
    list_->popUp(*this);
}

void offerItems(QComboBox& box, const BoxChoices& items, const QString& chosen) {
    BoxChoices present;
    for (int i = 0; i < box.count(); ++i) present.append({box.itemData(i).toString(), box.itemText(i)});
    if (items != present) {
        box.clear();
        for (const auto& [id, title] : items) box.addItem(title, id);
        box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + px(24));
    }
    box.setCurrentIndex(std::max(0, box.findData(chosen)));
}

}  // namespace kurve::views
