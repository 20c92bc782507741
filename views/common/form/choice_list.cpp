#include "views/common/form/choice_list.h"

#include <QAbstractListModel>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

/// The rows that match the search.
class ChoiceListModel : public QAbstractListModel {
public:
    ChoiceListModel(bool checks, QObject* parent) : QAbstractListModel(parent), checks_(checks) {}

    void setChoices(std::vector<Choice> choices) {
        if (choices == choices_) return;
        choices_ = std::move(choices);
        filter(words_);
    }
    void filter(const QStringList& words) {
        beginResetModel();
        words_ = words;
        shown_.clear();
        for (int i = 0; i < static_cast<int>(choices_.size()); ++i)
            if (matches(choices_[static_cast<std::size_t>(i)])) shown_.push_back(i);
        const QString whole = words.join(QLatin1Char(' '));
        std::stable_partition(shown_.begin(), shown_.end(),
                              [&](int i) { return isCalled(choices_[static_cast<std::size_t>(i)], whole); });
        endResetModel();
    }
    [[nodiscard]] const Choice& at(int row) const {
        return choices_[static_cast<std::size_t>(shown_[static_cast<std::size_t>(row)])];
    }
    [[nodiscard]] std::size_t all() const { return choices_.size(); }
    void setChecked(int row, bool on) {
        choices_[static_cast<std::size_t>(shown_[static_cast<std::size_t>(row)])].checked = on;
        Q_EMIT dataChanged(index(row), index(row), {Qt::CheckStateRole});
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(shown_.size());
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid() || index.row() >= rowCount()) return {};
        const Choice& choice = at(index.row());
        switch (role) {
            case Qt::DisplayRole:
                return choice.note.isEmpty() ? choice.title
                                             : QStringLiteral("%1   %2").arg(choice.title, choice.note);
            case Qt::ToolTipRole:
                return choice.note.isEmpty() ? choice.title
                                             : QStringLiteral("%1\n%2").arg(choice.title, choice.note);
            case Qt::CheckStateRole:
                return checks_ ? QVariant(choice.checked ? Qt::Checked : Qt::Unchecked) : QVariant();
            default:
                return {};
        }
    }

private:
    /// An exact match of the name is first.
    [[nodiscard]] static bool isCalled(const Choice& choice, const QString& name) {
        return !name.isEmpty() && (choice.title.compare(name, Qt::CaseInsensitive) == 0 ||
                                   choice.id.compare(name, Qt::CaseInsensitive) == 0);
    }
    [[nodiscard]] bool matches(const Choice& choice) const {
        return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
            return choice.title.contains(word, Qt::CaseInsensitive) ||
                   choice.id.contains(word, Qt::CaseInsensitive) ||
                   choice.note.contains(word, Qt::CaseInsensitive);
        });
    }

    std::vector<Choice> choices_;
    std::vector<int> shown_;
    QStringList words_;
    bool checks_;
};

ChoiceList::ChoiceList(Kind kind, const QString& name, const QString& title, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      kind_(kind),
      model_(new ChoiceListModel(kind == Kind::Checked, this)),
      search_(describe(new QLineEdit, name + QStringLiteral(".search"), tr("Search"),
                       {.placeholder = tr("Search"), .clearable = true})),
      view_(describe(new QListView, name + QStringLiteral(".list"), title)),
      count_(describe(new QLabel, {.role = "hint"})) {
    describe(this, name, title, {.role = "card", .filled = true});
    search_->installEventFilter(this);
    view_->setModel(model_);
    view_->setUniformItemSizes(true);
    view_->setLayoutMode(QListView::Batched);
    view_->setTextElideMode(Qt::ElideMiddle);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->installEventFilter(this);
    vboxIn(
        this, {describe(new QLabel(title), {.role = "title"}), search_, {view_, 1}, count_},
        {.margins = {space::kSmall, space::kSmall, space::kSmall, space::kTight}, .spacing = space::kTight});
    connect(search_, &QLineEdit::textChanged, this, &ChoiceList::filter);
    connect(view_, &QListView::clicked, this, &ChoiceList::activate);
}

void ChoiceList::setChoices(std::vector<Choice> choices) {
    model_->setChoices(std::move(choices));
    filter();
}

int ChoiceList::shownCount() const {
    return model_->rowCount();
}

void ChoiceList::popUp(const QWidget& under) {
    showAt({under.mapToGlobal(QPoint(0, 0)), under.size()});
}

void ChoiceList::popUpAt(const QPoint& globalPosition) {
    showAt({globalPosition, QSize(1, 1)});
}

void ChoiceList::showAt(const QRect& anchor) {
    search_->clear();
    filter();
    const QScreen* screen = QGuiApplication::screenAt(anchor.center());
    const QRect available = (screen ? screen : QGuiApplication::primaryScreen())->availableGeometry();
    const int width = std::min(px(340), available.width());
    const int below = available.bottom() - anchor.bottom(), above = anchor.top() - available.top();
    const int height = std::min(px(420), std::max(below, above));
    const int left =
        std::clamp(anchor.left(), available.left(), std::max(available.left(), available.right() - width));
    const bool down = below >= height;
    setGeometry(left, down ? anchor.bottom() + 1 : anchor.top() - height, width, height);
    show();
    search_->setFocus(Qt::PopupFocusReason);
}

void ChoiceList::filter() {
    model_->filter(search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts));
    if (model_->rowCount() > 0) view_->setCurrentIndex(model_->index(0));
    const QString all = countText(static_cast<qint64>(model_->all()));
    count_->setText(model_->rowCount() == static_cast<int>(model_->all())
                        ? all
                        : tr("%1 of %2").arg(countText(model_->rowCount()), all));
}

void ChoiceList::activate(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Choice choice = model_->at(index.row());
    if (kind_ == Kind::Checked) {
        model_->setChecked(index.row(), !choice.checked);
        return Q_EMIT toggled(choice.id, !choice.checked);
    }
    hide();
    Q_EMIT chosen(choice.id);
}

bool ChoiceList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        activate(view_->currentIndex());
        return true;
    }
    const bool moves =
        key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown;
    if (!moves || watched != search_) return QFrame::eventFilter(watched, event);
    QCoreApplication::sendEvent(view_, event);
    return true;
}

}  // namespace kurve::views
