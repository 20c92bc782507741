#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <string>

#include "core/schedule/noise_schedule.h"

class QComboBox;
class QFormLayout;
class QLabel;

namespace kurve::views {

/// Choice of one schedule and its parameters: controls made from the kind's FieldSpecs. What was set for a
/// kind is kept while another is looked at.
class ScheduleForm : public QWidget {
    Q_OBJECT
public:
    enum class Optional : unsigned char { No, Yes };  ///< Yes: "none" is a choice
    ScheduleForm(const QString& id, const QString& heading, Optional optional, QWidget* parent = nullptr);

    void choose(const QString& kindId);  ///< empty = none
    [[nodiscard]] QString chosen() const;
    /// Null for "none". The controls keep to the fields' ranges, so the rest cannot fail.
    [[nodiscard]] std::unique_ptr<schedule::NoiseSchedule> make() const;
    void setColor(const QColor& color);  ///< of the heading's swatch: the colour of its curves

Q_SIGNALS:
    void changed();

private:
    void rebuild();
    void addField(const FieldSpec& field);
    QWidget* numberControl(const FieldSpec& field, const QString& value);
    QWidget* flagControl(const FieldSpec& field, const QString& value);
    void set(const std::string& key, const std::string& text);
    void reset();

    QString id_, heading_;
    QLabel* headingLabel_;
    QComboBox* kinds_;
    QLabel* doc_;
    QWidget* fields_ = nullptr;
    QFormLayout* rows_ = nullptr;
    std::map<std::string, std::map<std::string, std::string>> values_;  ///< kind -> key -> text
};

}  // namespace kurve::views
