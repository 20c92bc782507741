#include "views/guide/keys_page.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <map>
#include <set>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"
#include "views/guide/key_field.h"

namespace kurve::views {

namespace {

enum Column { Action, Keys, Own };
constexpr int kIdRole = Qt::UserRole;

QString nameOf(const Command& command) {
    QString name = command.title;  // as menus take it: && stands for &
    return name.replace(QLatin1String("&&"), QLatin1String("&"));
}

QString keysText(const QList<QKeySequence>& keys) {
    QStringList texts;
    for (const QKeySequence& key : keys) texts << key.toString(QKeySequence::NativeText);
    return texts.join(QStringLiteral("  ·  "));
}

QPushButton* footButton(const QString& text, const char* id, const QString& tip) {
    return describe(new QPushButton(text), QLatin1String("keys.") + QLatin1String(id), {}, tip);
}

/// The keys that views handle themselves: of the focused widget and its parents, the innermost first, and of
/// the rest of the window, one of each kind.
struct KeysOfViews {
    std::vector<const ViewKeys*> here;
    std::map<QString, const ViewKeys*> elsewhere;
};

KeysOfViews keysOfViews(const QWidget* focus) {
    KeysOfViews found;
    const QWidget* root = focus;
    std::set<QString> named;
    for (const QWidget* at = focus; at != nullptr; root = at, at = at->parentWidget()) {
        const auto own = at->findChildren<ViewKeys*>(QString(), Qt::FindDirectChildrenOnly);
        for (auto keys = own.rbegin(); keys != own.rend(); ++keys)  // the last one takes precedence
            if (named.insert((*keys)->title()).second) found.here.push_back(*keys);
    }
    if (root == nullptr) return found;
    for (const auto* keys : root->findChildren<ViewKeys*>())
        if (!named.contains(keys->title())) found.elsewhere.emplace(keys->title(), keys);
    return found;
}

}  // namespace

KeysPage::KeysPage(KeyBindings& bindings, QWidget* parent)
    : QWidget(parent),
      bindings_(bindings),
      search_(describe(new QLineEdit, "keys.search", tr("Find a command or key"),
                       {.placeholder = tr("Find a command or key"), .clearable = true})),
      list_(describe(new QTreeWidget, "keys.list", tr("Commands and their keys"))),
      about_(describe(new QLabel, "keys.about", {.role = "caption", .wraps = true})),
      field_(describe(new KeyField, "keys.field")) {
    list_->setColumnCount(3);
    list_->setHeaderLabels({tr("Command"), tr("Keys"), tr("Default")});
    list_->setUniformRowHeights(true);
    list_->setRootIsDecorated(false);
    list_->setIndentation(px(space::kMedium));
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(Action, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(Keys, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(Own, QHeaderView::ResizeToContents);
    list_->installEventFilter(this);
    search_->installEventFilter(this);
    vboxIn(this, {search_, {list_, 1}, about_, field_, buildFoot()},
           {.margins = 0, .spacing = space::kSmall});
    connect(search_, &QLineEdit::textChanged, this, &KeysPage::filter);
    connect(list_, &QTreeWidget::currentItemChanged, this, &KeysPage::showChosen);
    connect(list_, &QTreeWidget::itemDoubleClicked, this, [this] { capture(false); });
    connect(field_, &KeyField::pressed, this, &KeysPage::take);
    connect(field_, &KeyField::cancelled, this, &KeysPage::stopCapture);
    connect(&bindings_.commands(), &CommandRegistry::keysChanged, this, &KeysPage::showKeysOf);
    stopCapture();
}

QWidget* KeysPage::buildFoot() {
    change_ = footButton(tr("Change"), "change", tr("Press another key for this command (Enter)"));
    add_ = footButton(tr("Add key"), "add", tr("Add a second key for this command"));
    remove_ = footButton(tr("Remove keys"), "remove", tr("Remove the keys of this command (Delete)"));
    reset_ = footButton(tr("Reset"), "reset", tr("Restore the default keys of this command"));
    resetAll_ = footButton(tr("Reset all"), "reset_all", tr("Restore all default keys"));
    reassign_ = footButton(tr("Reassign"), "reassign", tr("Remove this key from the other command"));
    reassign_->setProperty("role", "primary");
    auto* foot = boxed(hbox({change_, reassign_, add_, remove_, reset_, Stretch{1}, resetAll_},
                            {.margins = 0, .spacing = space::kSmall}));
    connect(change_, &QPushButton::clicked, this, [this] { capture(false); });
    connect(add_, &QPushButton::clicked, this, [this] { capture(true); });
    connect(reassign_, &QPushButton::clicked, this, &KeysPage::apply);
    connect(remove_, &QPushButton::clicked, this, [this] { bindings_.set(chosen(), {}); });
    connect(reset_, &QPushButton::clicked, this, [this] {
        // A default key may be assigned to another command now: the user decides.
        adding_ = false;
        waiting_ = bindings_.commands().entry(chosen())->command.allKeys();
        for (const QKeySequence& key : QList<QKeySequence>(waiting_))
            if (!bindings_.commands().rivals(chosen(), key).empty()) return take(key);
        apply();
    });
    connect(resetAll_, &QPushButton::clicked, this, [this] {
        bindings_.resetAll();
        showChosen();
    });
    return foot;
}

// ---- the list ----

QTreeWidgetItem* KeysPage::addGroup(const QString& title) {
    auto* group = new QTreeWidgetItem(list_, {title});
    group->setFlags(Qt::ItemIsEnabled);
    group->setFont(Action, strongFont());
    group->setForeground(Action, theme().accent);
    group->setFirstColumnSpanned(true);
    return group;
}

void KeysPage::addRow(QTreeWidgetItem* group, const CommandRegistry::Entry& entry) {
    auto* row = new QTreeWidgetItem({nameOf(entry.command)});
    row->setToolTip(Action, entry.command.help);
    row->setData(Action, kIdRole, entry.command.id);
    fill(*row, entry);  // before it is in the list, which lays itself out for each change
    group->addChild(row);
    rows_.insert(entry.command.id, row);
}

void KeysPage::addViewKeys(const ViewKeys& keys, const QString& title) {
    QTreeWidgetItem* group = addGroup(title);
    for (const ViewKey& key : keys.keys()) {
        const QList<QKeySequence> now = key.allKeys();
        if (!now.isEmpty()) new QTreeWidgetItem(group, {key.meaning, keysText(now)});
    }
}

void KeysPage::show(QWidget* focus) {
    list_->clear();
    rows_.clear();
    std::vector<const CommandRegistry::Entry*> here;
    std::map<QString, std::vector<const CommandRegistry::Entry*>> window, elsewhere;
    for (const auto& entry : bindings_.commands().entries()) {
        if (!entry.scope)
            window[entry.command.category].push_back(&entry);
        else if (focus && (entry.scope == focus || entry.scope->isAncestorOf(focus)))
            here.push_back(&entry);
        else
            elsewhere[entry.scope->accessibleName()].push_back(&entry);
    }
    const auto add = [this](const QString& title, const auto& entries) {
        if (entries.empty()) return;
        QTreeWidgetItem* group = addGroup(title);
        for (const auto* entry : entries) addRow(group, *entry);
    };
    const KeysOfViews own = keysOfViews(focus);
    for (const ViewKeys* keys : own.here) addViewKeys(*keys, tr("%1 (focused)").arg(keys->title()));
    add(tr("In this view"), here);
    for (const auto& [name, entries] : window) add(name, entries);
    for (const auto& [place, keys] : own.elsewhere) addViewKeys(*keys, tr("%1 (when focused)").arg(place));
    for (const auto& [name, entries] : elsewhere) add(tr("In “%1”").arg(name), entries);
    list_->expandAll();
    resetAll_->setEnabled(bindings_.anyChanged());
    filter();
    list_->scrollToTop();
    search_->setFocus();
    showChosen();
}

void KeysPage::fill(QTreeWidgetItem& row, const CommandRegistry::Entry& entry) const {
    const bool changed = bindings_.isChanged(entry.command.id);
    const QString own = keysText(entry.command.allKeys());
    row.setText(Keys, keysText(entry.action->shortcuts()));
    row.setText(Own, !changed ? QString() : own.isEmpty() ? tr("none") : own);
    row.setFont(Keys, changed ? strongFont() : list_->font());
    row.setForeground(Own, theme().muted);
}

void KeysPage::showKeysOf(const QString& id) {
    const auto* entry = bindings_.commands().entry(id);
    QTreeWidgetItem* row = rows_.value(id);
    if (entry != nullptr && row != nullptr) fill(*row, *entry);
    resetAll_->setEnabled(bindings_.anyChanged());
}

void KeysPage::filter() {
    const QString typed = search_->text().trimmed();
    const auto changes = [](const QTreeWidgetItem* row) { return row->data(Action, kIdRole).isValid(); };
    QTreeWidgetItem* first =
        nullptr;  // the first visible row; of a search the first whose key can be changed
    for (int g = 0; g < list_->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = list_->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* row = group->child(i);
            const bool fits = row->text(Action).contains(typed, Qt::CaseInsensitive) ||
                              row->text(Keys).contains(typed, Qt::CaseInsensitive) ||
                              row->toolTip(Action).contains(typed, Qt::CaseInsensitive);
            row->setHidden(!fits);
            any = any || fits;
            if (fits && (first == nullptr || (!typed.isEmpty() && !changes(first) && changes(row))))
                first = row;
        }
        group->setHidden(!any);
    }
    // Enter changes the current row, which must be visible.
    const QTreeWidgetItem* chosen = list_->currentItem();
    if (chosen == nullptr || chosen->isHidden()) list_->setCurrentItem(first);
}

void KeysPage::choose(const QString& id) {
    for (QTreeWidgetItemIterator it(list_); *it; ++it)
        if ((*it)->data(Action, kIdRole).toString() == id) list_->setCurrentItem(*it);
}

void KeysPage::search(const QString& text) {
    search_->setText(text);
}

QString KeysPage::chosen() const {
    const QTreeWidgetItem* row = list_->currentItem();
    return row ? row->data(Action, kIdRole).toString() : QString();
}

// ---- the chosen command ----

void KeysPage::showChosen() {
    waiting_.clear();
    reassign_->hide();
    const auto* entry = bindings_.commands().entry(chosen());
    for (QPushButton* button : {change_, add_, remove_, reset_}) button->setEnabled(entry != nullptr);
    resetAll_->setEnabled(bindings_.anyChanged());
    if (!entry) {
        const QTreeWidgetItem* row = list_->currentItem();
        return about_->setText(row ? tr("This key cannot be changed.") : QString());
    }
    add_->setEnabled(!entry->action->shortcuts().isEmpty());
    remove_->setEnabled(!entry->action->shortcuts().isEmpty());
    reset_->setEnabled(bindings_.isChanged(chosen()));
    about_->setText(entry->command.help.isEmpty() ? nameOf(entry->command) : entry->command.help);
}

void KeysPage::capture(bool adding) {
    const auto* entry = bindings_.commands().entry(chosen());
    if (!entry) return;
    adding_ = adding;
    waiting_.clear();
    reassign_->hide();
    about_->hide();
    field_->setText(tr("Press a key for “%1”; Esc cancels.").arg(nameOf(entry->command)));
    field_->show();
    field_->setFocus();
}

void KeysPage::stopCapture() {
    const bool had = field_->hasFocus();
    field_->hide();
    about_->show();
    if (had) list_->setFocus();
}

void KeysPage::take(const QKeySequence& key) {
    const auto* entry = bindings_.commands().entry(chosen());
    if (!entry) return stopCapture();
    if (waiting_.isEmpty()) waiting_ = adding_ ? entry->action->shortcuts() : QList<QKeySequence>();
    if (!waiting_.contains(key)) waiting_ << key;
    stopCapture();
    QStringList others;
    for (const auto* rival : bindings_.commands().rivals(chosen(), key))
        others << QStringLiteral("“%1”").arg(nameOf(rival->command));
    if (others.isEmpty()) return apply();
    about_->setText(tr("%1 is already assigned to %2.")
                        .arg(key.toString(QKeySequence::NativeText), others.join(QStringLiteral(", "))));
    reassign_->show();
    reassign_->setFocus();
}

void KeysPage::apply() {
    bindings_.give(chosen(), waiting_);
    showChosen();
    list_->setFocus();
}

bool KeysPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (watched == search_ && key == Qt::Key_Down) {
        list_->setFocus();
        return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        capture(false);
        return true;
    }
    if (watched == list_ && key == Qt::Key_Delete) {
        remove_->click();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace kurve::views
