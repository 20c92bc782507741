#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/schedule/lab_schedule.h"

class QMenu;
class QPushButton;
class QVBoxLayout;

namespace kurve::views {

/// The schedules that are compared beside A and B: a menu to add one, and a row to remove each.
class ComparedSchedules : public QWidget {
    Q_OBJECT
public:
    /// More than these would share colours.
    static constexpr std::size_t kMost = 4;
    explicit ComparedSchedules(QWidget* parent = nullptr);
    [[nodiscard]] const std::vector<schedule::LabSchedule>& schedules() const { return schedules_; }
    void setSchedules(std::vector<schedule::LabSchedule> schedules);  ///< the first kMost; emits nothing
    void setFiles(const QStringList& names);                          ///< "mine.toml": further choices
    /// One more, unless it is there or the list is full: problem() says so.
    void add(const schedule::LabSchedule& schedule);
    /// "sigmoid slope 3.5": a schedule's file, or its kind and the values that are not the default.
    [[nodiscard]] static QString labelOf(const schedule::LabSchedule& schedule);

Q_SIGNALS:
    void changed();
    void currentWanted();                  ///< schedule A as it is now
    void fileChosen(const QString& name);  ///< the owner reads it and adds it
    void problem(const QString& text);

private:
    void fillMenu();
    void remove(std::size_t index);
    void rebuild();

    std::vector<schedule::LabSchedule> schedules_;
    QStringList files_;
    QPushButton* add_;
    QMenu* menu_;
    QVBoxLayout* column_;
    QWidget* rows_ = nullptr;
};

}  // namespace kurve::views
