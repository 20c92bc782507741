#pragma once

#include <QScrollArea>
#include <functional>
#include <vector>

#include "core/config/field_spec.h"
#include "views/common/form/choice_list.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kurve::views {

class FieldRow;

/// The form of a schema: one collapsible group per table of the config, rows made when a group is first
/// opened.
class SettingsForm : public QScrollArea {
    Q_OBJECT
public:
    struct FieldState {
        QString value, error;
        bool changed = false;     ///< differs from the default (bold)
        bool revertible = false;  ///< differs from the experiment
    };
    /// Read again on refresh(). `runs`: what a field of type Run offers.
    SettingsForm(std::function<FieldState(const FieldSpec&)> stateOf,
                 std::function<std::vector<Choice>(const FieldSpec&)> runs);
    void setSchema(const Schema* schema);  ///< copied; null empties the form
    void refresh();
    void setRunning(bool running);
    void setSearch(const QString& words);
    void setChangedOnly(bool on);
    /// Opens the group of a key and gives its editor the focus; false if there is no such field.
    bool focusField(const QString& key);
    [[nodiscard]] FieldRow* row(const QString& key);  ///< makes the group's rows if needed; null if unknown
    [[nodiscard]] QStringList openGroups() const;
    void setOpenGroups(const QStringList& names);
    /// Shows these above and below the groups, scrolling with them, until they are moved to another layout.
    void frame(QWidget* above, QWidget* below);

Q_SIGNALS:
    void edited(const QString& key, const QString& text);
    void reverted(const QString& key);
    void liveSet(const QString& key, const QString& text);

private:
    struct Group {
        QString name, title;
        std::vector<FieldSpec> fields;
        QPushButton* header = nullptr;
        QWidget* body = nullptr;
        QVBoxLayout* rowsLayout = nullptr;
        std::vector<FieldRow*> rows;
        bool open = false;
    };
    void addGroup(Group& group);
    void buildRows(Group& group);
    void refreshGroup(Group& group);
    void showHeader(Group& group);
    void applyVisibility();

    std::function<FieldState(const FieldSpec&)> stateOf_;
    std::function<std::vector<Choice>(const FieldSpec&)> runs_;
    QWidget* page_;
    QVBoxLayout* groupsLayout_;
    QLabel* none_;
    QVBoxLayout* layout_;  ///< of the page
    std::vector<Group> groups_;
    QString search_;
    bool changedOnly_ = false, running_ = false;
};

}  // namespace kurve::views
