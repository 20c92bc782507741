#include "app/studio/window/overlay.h"

#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"
#include "views/guide/keys_page.h"

namespace kurve::studio {

using namespace views;

Overlay::Overlay(QWidget* window) : QFrame(window) {
    setProperty("role", "card");
    auto* shadow = new QGraphicsDropShadowEffect(this);
    shadow->setBlurRadius(px(28));
    shadow->setOffset(0, px(6));
    shadow->setColor(QColor(0, 0, 0, 110));
    setGraphicsEffect(shadow);
    hide();
    window->installEventFilter(this);
}

void Overlay::open(const QSize& wanted) {
    if (!isVisible()) before_ = QApplication::focusWidget();
    const QSize available = parentWidget()->size() - QSize(px(40), px(40));
    resize(wanted.boundedTo(available));
    move((parentWidget()->width() - width()) / 2,
         std::min(px(84), (parentWidget()->height() - height()) / 2));
    show();
    raise();
}

void Overlay::close() {
    hide();
    if (before_) before_->setFocus();
    before_ = nullptr;
}

bool Overlay::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && isVisible()) {
        if (event->type() == QEvent::Resize) move((parentWidget()->width() - width()) / 2, y());
        if (event->type() == QEvent::MouseButtonPress) close();
    }
    return QFrame::eventFilter(watched, event);
}

void Overlay::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return close();
    QFrame::keyPressEvent(event);
}

namespace {

enum Role { DetailRole = Qt::UserRole, KeysRole, IndexRole, RefusalRole };

/// Title and, in grey, the help; the keys on the right. All grey with the reason on a second line where the
/// command is unavailable.
class PaletteDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, theme().selection);
        const QString refusal = index.data(RefusalRole).toString();
        QRect rect = option.rect.adjusted(px(12), 0, -px(12), 0);
        if (!refusal.isEmpty()) {
            paintLine(*painter, rect.adjusted(0, px(kLine - 4), 0, -px(4)), refusal);
            rect.setHeight(px(kLine));
        }
        painter->setFont(smallFont());
        const QString keys = index.data(KeysRole).toString();
        const int keysWidth = keys.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(keys) + px(16);
        painter->setPen(theme().muted);
        painter->drawText(rect, int(Qt::AlignRight | Qt::AlignVCenter), keys);
        painter->setFont(option.font);
        painter->setPen(refusal.isEmpty() ? theme().text : theme().muted);
        const QString title = index.data().toString();
        painter->drawText(rect, int(Qt::AlignLeft | Qt::AlignVCenter), title);
        const int used = painter->fontMetrics().horizontalAdvance(title) + px(14);
        paintLine(*painter, rect.adjusted(used, 0, -keysWidth, 0), index.data(DetailRole).toString());
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {px(200), px(index.data(RefusalRole).toString().isEmpty() ? kLine : kLine + 18)};
    }

private:
    static constexpr double kLine = 30;

    static void paintLine(QPainter& painter, const QRect& rect, const QString& text) {
        painter.setFont(smallFont());
        painter.setPen(theme().muted);
        painter.drawText(rect, int(Qt::AlignLeft | Qt::AlignVCenter),
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
    }
};

}  // namespace

Palette::Palette(QWidget* window) : Overlay(window), box_(new QLineEdit), list_(new QListWidget) {
    describe(this, "palette", tr("Command palette"));
    describe(box_, "palette.box", tr("Search"));
    describe(list_, "palette.list", tr("Matches"));
    list_->setItemDelegate(new PaletteDelegate(list_));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    vboxIn(this, {box_, {list_, 1}}, {.margins = 10});
    box_->installEventFilter(this);
    connect(box_, &QLineEdit::textChanged, this, &Palette::fill);
    connect(box_, &QLineEdit::returnPressed, this, &Palette::accept);
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        list_->setCurrentItem(item);
        accept();
    });
}

void Palette::choose(const QString& prompt, std::vector<Item> items) {
    items_ = std::move(items);
    answer_ = nullptr;
    list_->show();
    box_->setPlaceholderText(prompt);
    box_->clear();
    fill();
    open({px(620), px(420)});
    box_->setFocus();
}

QString Palette::prompt() const {
    return box_->placeholderText();
}

void Palette::replace(std::vector<Item> items) {
    const QString chosen = list_->currentItem() == nullptr ? QString() : list_->currentItem()->text();
    items_ = std::move(items);
    fill();
    if (const auto same = list_->findItems(chosen, Qt::MatchExactly); !same.isEmpty())
        list_->setCurrentItem(same.front());
}

void Palette::ask(const QString& prompt, const QString& text, std::function<void(const QString&)> done) {
    choose(prompt, {});
    answer_ = std::move(done);
    list_->hide();
    box_->setText(text);
    box_->selectAll();
    open({px(620), sizeHint().height()});
    box_->setFocus();
}

int Palette::score(const QString& typed, const QString& text) {
    int total = 0;
    qsizetype at = -1;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        const qsizetype next = text.indexOf(letter, at + 1, Qt::CaseInsensitive);
        if (next < 0) return -1;
        const bool wordStart = next == 0 || !text[next - 1].isLetterOrNumber();
        total += next == at + 1 ? 6 : wordStart ? 5 : 1;
        at = next;
    }
    return total * 100 - static_cast<int>(text.size());
}

/// The best match first; of equals the available ones. Matches in reasons come after those in titles.
std::vector<std::size_t> Palette::found() const {
    const QString typed = box_->text().trimmed();
    std::vector<std::pair<int, std::size_t>> ranked;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        const bool refused = !item.refusal.isEmpty();
        int points = typed.isEmpty() ? 1 : score(typed, item.searched);
        if (points < 0 && refused && item.refusal.contains(typed, Qt::CaseInsensitive)) points = 0;
        if (points > -1) ranked.emplace_back(-2 * points + (refused ? 1 : 0), i);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> indices;
    for (const auto& [points, index] : ranked) indices.push_back(index);
    return indices;
}

void Palette::fill() {
    list_->clear();
    for (const std::size_t index : found()) {
        const Item& item = items_[index];
        auto* row = new QListWidgetItem(item.title, list_);
        row->setData(DetailRole, item.detail);
        row->setData(KeysRole, item.keys);
        row->setData(IndexRole, static_cast<uint>(index));
        row->setData(RefusalRole, item.refusal);
        if (!item.refusal.isEmpty())
            row->setData(Qt::AccessibleTextRole, tr("%1, unavailable: %2").arg(item.title, item.refusal));
    }
    list_->setCurrentRow(0);
}

void Palette::accept() {
    if (answer_) {
        const QString text = box_->text().trimmed();
        if (text.isEmpty()) return;
        const auto done = std::exchange(answer_, nullptr);
        close();
        return done(text);
    }
    QListWidgetItem* row = list_->currentItem();
    if (!row) return;
    const Item item = items_[row->data(IndexRole).toUInt()];
    if (!item.refusal.isEmpty()) return Q_EMIT refused(tr("%1: %2").arg(item.title, item.refusal));
    close();
    if (item.run) item.run();
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == box_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down       ? 1
                         : key == Qt::Key_Up       ? -1
                         : key == Qt::Key_PageDown ? 8
                         : key == Qt::Key_PageUp   ? -8
                                                   : 0;
        if (step != 0) {
            list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(list_->count() - 1, 0)));
            return true;
        }
        if (key == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    if (watched == box_ && event->type() == QEvent::FocusOut && isVisible()) close();
    return Overlay::eventFilter(watched, event);
}

HelpOverlay::HelpOverlay(KeyBindings& bindings, QWidget* window)
    : Overlay(window), page_(new KeysPage(bindings)) {
    describe(this, "help", tr("Keyboard shortcuts"));
    auto* title = describe(new QLabel(tr("Keyboard shortcuts")), {.role = "headline"});
    auto* hint =
        new QLabel(tr("Press Enter to change a shortcut, Esc to close. Shortcuts of the focused view take "
                      "precedence over those of the window."));
    describe(hint, {.role = "caption", .wraps = true});
    vboxIn(this, {title, hint, {page_, 1}}, {.margins = {16, 12}, .spacing = space::kTight});
}

void HelpOverlay::showKeys(QWidget* focus) {
    open({px(760), px(640)});
    page_->show(focus);
}

}  // namespace kurve::studio
