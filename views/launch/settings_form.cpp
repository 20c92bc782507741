#include "views/launch/settings_form.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"
#include "views/launch/field_row.h"

namespace kurve::views {

namespace {

constexpr int kLeastWidth = 256;  ///< value, unit and buttons of a setting, its name above

QString keyOf(const FieldSpec& field) {
    return QString::fromStdString(field.key);
}

/// As the family declares it; without a title the name itself.
QString groupTitle(const Schema& schema, const QString& name) {
    if (const auto found = schema.groups.find(name.toStdString()); found != schema.groups.end())
        return QString::fromStdString(found->second);
    if (name.isEmpty()) return QObject::tr("General");
    QString title = name;
    title.replace(QLatin1Char('_'), QLatin1Char(' '));
    title[0] = title[0].toUpper();
    return title;
}

}  // namespace

SettingsForm::SettingsForm(std::function<FieldState(const FieldSpec&)> stateOf,
                           std::function<std::vector<Choice>(const FieldSpec&)> runs)
    : stateOf_(std::move(stateOf)),
      runs_(std::move(runs)),
      page_(new QWidget),
      groupsLayout_(vbox({}, {.spacing = 2})),
      none_(describe(new QLabel, {.role = "caption", .hidden = true})),
      layout_(vboxIn(page_, {none_, groupsLayout_, Stretch{1}},
                     {.margins = {space::kSmall, 0, space::kSmall, space::kMedium}, .spacing = 2})) {
    setWidgetResizable(true);
    setProperty("role", "surface");
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setMinimumWidth(px(kLeastWidth));
    describe(page_, {.role = "surface", .filled = true});
    none_->setAlignment(Qt::AlignCenter);
    setWidget(page_);
}

void SettingsForm::setSchema(const Schema* schema) {
    const QStringList open =
        groups_.empty() ? QStringList{QStringLiteral("train"), QStringLiteral("model")} : openGroups();
    for (Group& group : groups_) {
        delete group.header;
        delete group.body;
    }
    groups_.clear();
    if (schema) {
        for (const FieldSpec& field : schema->fields) {
            const QString key = keyOf(field);
            const QString name =
                key.contains(QLatin1Char('.')) ? key.section(QLatin1Char('.'), 0, 0) : QString();
            auto found = std::ranges::find(groups_, name, &Group::name);
            if (found == groups_.end()) {
                groups_.push_back({});
                groups_.back().name = name;
                groups_.back().title = groupTitle(*schema, name);
                found = std::prev(groups_.end());
            }
            found->fields.push_back(field);
        }
        for (Group& group : groups_) addGroup(group);
    }
    setOpenGroups(open);
    applyVisibility();
}

void SettingsForm::addGroup(Group& group) {
    group.header = describe(new QPushButton, QStringLiteral("launch.group.%1").arg(group.name), group.title,
                            {.role = "group", .checkable = true});
    group.header->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    group.body = new QWidget;
    group.rowsLayout =
        vboxIn(group.body, {}, {.margins = {space::kMedium, 2, 0, space::kSmall}, .spacing = 2});
    group.body->hide();
    groupsLayout_->addWidget(group.header);
    groupsLayout_->addWidget(group.body);
    connect(group.header, &QPushButton::toggled, this, [this] { applyVisibility(); });
}

void SettingsForm::buildRows(Group& group) {
    if (!group.rows.empty()) return;
    for (const FieldSpec& field : group.fields) {
        auto* row = new FieldRow(field);
        connect(row, &FieldRow::edited, this, &SettingsForm::edited);
        connect(row, &FieldRow::reverted, this, &SettingsForm::reverted);
        connect(row, &FieldRow::liveSet, this, &SettingsForm::liveSet);
        row->setRunning(running_);
        group.rowsLayout->addWidget(row);
        group.rows.push_back(row);
    }
    refreshGroup(group);
}

void SettingsForm::showHeader(Group& group) {
    const auto changed = std::ranges::count_if(
        group.fields, [this](const FieldSpec& field) { return stateOf_(field).changed; });
    // Arrows as text: they grow with the zoom, drawn ones do not.
    QString text =
        QStringLiteral("%1  %2").arg(group.open ? QStringLiteral("▾") : QStringLiteral("▸"), group.title);
    if (changed > 0) text += tr("   %1 changed").arg(changed);
    group.header->setText(text);
}

void SettingsForm::refreshGroup(Group& group) {
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
        FieldRow* row = group.rows[i];
        if (group.fields[i].type == FieldType::Run) row->offer(runs_(group.fields[i]));
        const FieldState state = stateOf_(group.fields[i]);
        row->show(state.value, state.changed, state.revertible);
        row->setError(state.error);
    }
    showHeader(group);
}

void SettingsForm::refresh() {
    for (Group& group : groups_) refreshGroup(group);
    if (changedOnly_) applyVisibility();
}

void SettingsForm::setRunning(bool running) {
    running_ = running;
    for (Group& group : groups_)
        for (FieldRow* row : group.rows) row->setRunning(running);
}

void SettingsForm::setSearch(const QString& words) {
    search_ = words.trimmed();
    applyVisibility();
}

void SettingsForm::setChangedOnly(bool on) {
    changedOnly_ = on;
    applyVisibility();
}

void SettingsForm::applyVisibility() {
    const bool filtered = changedOnly_ || !search_.isEmpty();
    int shownTotal = 0;
    for (Group& group : groups_) {
        if (filtered || group.header->isChecked()) buildRows(group);
        int shown = 0;
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            const bool wanted = (!changedOnly_ || stateOf_(group.fields[i]).changed) &&
                                (search_.isEmpty() || group.rows[i]->matches(search_));
            group.rows[i]->setVisible(wanted);
            shown += wanted;
        }
        group.header->setVisible(!filtered || shown > 0);
        const bool open = filtered ? shown > 0 : group.header->isChecked();
        group.body->setVisible(open);
        group.open = open;
        showHeader(group);
        shownTotal += filtered ? shown : 1;
    }
    none_->setText(search_.isEmpty() ? tr("Nothing differs from the defaults.")
                                     : tr("No setting matches “%1”.").arg(search_));
    none_->setVisible(!groups_.empty() && shownTotal == 0);
}

FieldRow* SettingsForm::row(const QString& key) {
    for (Group& group : groups_) {
        if (std::ranges::find(group.fields, key, keyOf) == group.fields.end()) continue;
        buildRows(group);
        for (FieldRow* row : group.rows)
            if (row->key() == key) return row;
    }
    return nullptr;
}

bool SettingsForm::focusField(const QString& key) {
    FieldRow* wanted = row(key);
    if (!wanted) return false;
    for (Group& group : groups_)
        if (std::ranges::find(group.rows, wanted) != group.rows.end()) group.header->setChecked(true);
    search_.clear();
    changedOnly_ = false;
    applyVisibility();
    ensureWidgetVisible(wanted);
    wanted->focusEditor();
    return true;
}

void SettingsForm::frame(QWidget* above, QWidget* below) {
    layout_->insertWidget(0, above);
    layout_->addWidget(below);
}

QStringList SettingsForm::openGroups() const {
    QStringList names;
    for (const Group& group : groups_)
        if (group.header->isChecked()) names << group.name;
    return names;
}

void SettingsForm::setOpenGroups(const QStringList& names) {
    for (Group& group : groups_) group.header->setChecked(names.contains(group.name));
}

}  // namespace kurve::views
