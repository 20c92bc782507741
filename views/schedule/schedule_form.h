#pragma once

#include <QStringList>
#include <QWidget>

#include "core/schedule/lab_schedule.h"

class QComboBox;
class QFormLayout;
class QLabel;

namespace kurve::views {

class ElidedLabel;

/// Choice of one schedule and its parameters: controls made from the kind's FieldSpecs, and the schedule
/// files of the project. Points are edited elsewhere.
class ScheduleForm : public QWidget {
    Q_OBJECT
public:
    enum class Optional : unsigned char { No, Yes };  ///< Yes: "none" is a choice
    ScheduleForm(const QString& id, const QString& heading, Optional optional, QWidget* parent = nullptr);

    [[nodiscard]] const schedule::LabSchedule& value() const { return value_; }
    void setValue(const schedule::LabSchedule& value);  ///< emits nothing
    void setFile(const std::string& name);    ///< that value() came from, or was written to; empty: none
    void setFiles(const QStringList& names);  ///< "mine.toml": further choices
    void setColor(const QColor& color);       ///< of the heading's swatch: the colour of its curves

Q_SIGNALS:
    /// The tag names what was changed; changes with the same one are one step back.
    void changed(const QString& tag);
    void fileChosen(const QString& name);

private:
    void fillKinds();
    void chosen();
    void rebuild();
    void addField(const FieldSpec& field);
    QWidget* numberControl(const FieldSpec& field, const QString& value);
    QWidget* flagControl(const FieldSpec& field, const QString& value);
    void set(const std::string& key, const std::string& text);
    void reset();

    QString id_, heading_;
    bool optional_;
    QLabel* headingLabel_;
    QComboBox* kinds_;
    ElidedLabel* file_;
    QLabel* doc_;
    QWidget* fields_ = nullptr;
    QFormLayout* rows_ = nullptr;
    QStringList files_;
    schedule::LabSchedule value_;
};

}  // namespace kurve::views
