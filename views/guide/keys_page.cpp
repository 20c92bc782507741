#include "views/guide/keys_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <map>
#include <set>

#include "views/common/theme.h"
#include "views/common/view_keys.h"
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
    auto* made = new QPushButton(text);
    made->setObjectName(QLatin1String("keys.") + QLatin1String(id));
    made->setToolTip(tip);
    return made;
}

/// The keys that views take themselves about the focus, the innermost first, and those of the other parts of
/// the window, one of each kind.
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
        for (auto keys = own.rbegin(); keys != own.rend(); ++keys)  // the last one goes before the others
            if (named.insert((*keys)->place()).second) found.here.push_back(*keys);
    }
    if (root == nullptr) return found;
    for (const auto* keys : root->findChildren<ViewKeys*>())
        if (!named.count(keys->place())) found.elsewhere.emplace(keys->place(), keys);
    return found;
}

}  // namespace

KeysPage::KeysPage(KeyBindings& bindings, QWidget* parent)
    : QWidget(parent),
      bindings_(bindings),
      search_(new QLineEdit),
      list_(new QTreeWidget),
      about_(new QLabel),
      field_(new KeyField) {
    search_->setObjectName(QStringLiteral("keys.search"));
    search_->setAccessibleName(tr("Find an action or a key"));
    search_->setPlaceholderText(tr("Find an action or a key"));
    search_->setClearButtonEnabled(true);
    list_->setObjectName(QStringLiteral("keys.list"));
    list_->setAccessibleName(tr("Actions and their keys"));
    list_->setColumnCount(3);
    list_->setHeaderLabels({tr("Action"), tr("Keys"), tr("Changed from")});
    list_->setUniformRowHeights(true);
    list_->setRootIsDecorated(false);
    list_->setIndentation(px(space::kMedium));
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(Action, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(Keys, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(Own, QHeaderView::ResizeToContents);
    list_->installEventFilter(this);
    search_->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(space::kSmall));
    column->addWidget(search_);
    column->addWidget(list_, 1);
    column->addWidget(about_);
    column->addWidget(field_);
    column->addWidget(buildFoot());
    connect(search_, &QLineEdit::textChanged, this, &KeysPage::filter);
    connect(list_, &QTreeWidget::currentItemChanged, this, &KeysPage::showChosen);
    connect(list_, &QTreeWidget::itemDoubleClicked, this, [this] { ask(false); });
    connect(field_, &KeyField::pressed, this, &KeysPage::take);
    connect(field_, &KeyField::givenUp, this, &KeysPage::stopAsking);
    connect(&bindings_.commands(), &CommandRegistry::keysChanged, this, &KeysPage::showKeysOf);
    stopAsking();
}

QWidget* KeysPage::buildFoot() {
    about_->setObjectName(QStringLiteral("keys.about"));
    about_->setWordWrap(true);
    about_->setProperty("role", "caption");
    field_->setObjectName(QStringLiteral("keys.field"));
    change_ = footButton(tr("Change"), "change", tr("Press another key for this action (Enter)"));
    further_ = footButton(tr("Add a key"), "further", tr("A second key for the same action"));
    remove_ = footButton(tr("No key"), "remove", tr("Take its keys away (Delete)"));
    reset_ = footButton(tr("Reset"), "reset", tr("The keys it came with"));
    resetAll_ = footButton(tr("Reset all"), "reset_all", tr("The keys that every action came with"));
    takeOver_ = footButton(tr("Take it over"), "take_over", tr("The other action loses this key"));
    takeOver_->setProperty("role", "primary");
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(px(space::kSmall));
    for (QPushButton* button : {change_, takeOver_, further_, remove_, reset_}) row->addWidget(button);
    row->addStretch(1);
    row->addWidget(resetAll_);
    connect(change_, &QPushButton::clicked, this, [this] { ask(false); });
    connect(further_, &QPushButton::clicked, this, [this] { ask(true); });
    connect(takeOver_, &QPushButton::clicked, this, &KeysPage::apply);
    connect(remove_, &QPushButton::clicked, this, [this] { bindings_.set(chosen(), {}); });
    connect(reset_, &QPushButton::clicked, this, [this] {
        // What it came with may be another action's by now: that one keeps it only if the user says so.
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
    row->setData(Action, kIdRole, entry.command.id);
    row->setToolTip(Action, entry.command.help);
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
    for (const ViewKeys* keys : own.here) addViewKeys(*keys, tr("%1 (has the focus)").arg(keys->place()));
    add(tr("In this view"), here);
    for (const auto& [name, entries] : window) add(name, entries);
    for (const auto& [place, keys] : own.elsewhere) addViewKeys(*keys, tr("%1 (with the focus)").arg(place));
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
    QTreeWidgetItem* first = nullptr;  // in sight; of what was looked for one whose key can be changed
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
    // Enter changes the chosen one, which must not be one that is not seen.
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

// ---- the chosen action ----

void KeysPage::showChosen() {
    waiting_.clear();
    takeOver_->hide();
    const auto* entry = bindings_.commands().entry(chosen());
    for (QPushButton* button : {change_, further_, remove_, reset_}) button->setEnabled(entry != nullptr);
    resetAll_->setEnabled(bindings_.anyChanged());
    if (!entry) {
        const QTreeWidgetItem* row = list_->currentItem();
        return about_->setText(row ? tr("A key of the part that has the focus; it stays as it is.")
                                   : QString());
    }
    further_->setEnabled(!entry->action->shortcuts().isEmpty());
    remove_->setEnabled(!entry->action->shortcuts().isEmpty());
    reset_->setEnabled(bindings_.isChanged(chosen()));
    about_->setText(entry->command.help.isEmpty() ? nameOf(entry->command) : entry->command.help);
}

void KeysPage::ask(bool further) {
    const auto* entry = bindings_.commands().entry(chosen());
    if (!entry) return;
    adding_ = further;
    waiting_.clear();
    takeOver_->hide();
    about_->hide();
    field_->setText(tr("Press the key for “%1”; Esc leaves it as it is.").arg(nameOf(entry->command)));
    field_->show();
    field_->setFocus();
}

void KeysPage::stopAsking() {
    const bool had = field_->hasFocus();
    field_->hide();
    about_->show();
    if (had) list_->setFocus();
}

void KeysPage::take(const QKeySequence& key) {
    const auto* entry = bindings_.commands().entry(chosen());
    if (!entry) return stopAsking();
    if (waiting_.isEmpty()) waiting_ = adding_ ? entry->action->shortcuts() : QList<QKeySequence>();
    if (!waiting_.contains(key)) waiting_ << key;
    stopAsking();
    QStringList others;
    for (const auto* rival : bindings_.commands().rivals(chosen(), key))
        others << QStringLiteral("“%1”").arg(nameOf(rival->command));
    if (others.isEmpty()) return apply();
    about_->setText(tr("%1 already belongs to %2.")
                        .arg(key.toString(QKeySequence::NativeText), others.join(QStringLiteral(", "))));
    takeOver_->show();
    takeOver_->setFocus();
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
        ask(false);
        return true;
    }
    if (watched == list_ && key == Qt::Key_Delete) {
        remove_->click();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace kurve::views
