#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>
#include <utility>

class QComboBox;
class QPushButton;
class QSlider;

namespace kurve::views {

/// What all charts of the monitor share: the quantity along x, smoothing, linked zoom, earlier attempts; and
/// the metrics that have no chart yet.
class MonitorBar : public QWidget {
    Q_OBJECT
public:
    using Choices = QList<std::pair<QString, QString>>;  ///< id, title
    explicit MonitorBar(QWidget* parent = nullptr);

    /// What was chosen stays chosen, also while no run offers it.
    void offerAxes(const Choices& axes);
    void offerMetrics(const Choices& metrics);
    void offerEarlier(bool there);
    [[nodiscard]] QString axis() const;
    [[nodiscard]] double smoothing() const;  ///< 0 … 0.99
    [[nodiscard]] bool isLinked() const;
    [[nodiscard]] bool showsEarlier() const;
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void axisChanged();
    void smoothingChanged(double weight);
    void linkChanged();
    void earlierChanged();
    void chartWanted(const QString& metric);

private:
    void chooseAxis(const QString& id);

    QComboBox *axis_, *add_;
    QSlider* smoothing_;
    QPushButton *link_, *earlier_;
    QString wantedAxis_, shownAxis_;
};

}  // namespace kurve::views
