#pragma once

#include <QJsonObject>
#include <QWidget>
#include <vector>

#include "core/store/run_reader.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace kurve::views {

class NumberControl;

/// The largest standard deviation of the noise on a vector.
inline constexpr double kMostNoise = 1.5;

/// The text, the weights and the noise of an AutoencoderPanel, and what is wrong with them or came of them.
class AutoencoderControls : public QWidget {
    Q_OBJECT
public:
    explicit AutoencoderControls(QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString checkpoint() const;  ///< "last", "best" or a step
    [[nodiscard]] double noise() const;
    [[nodiscard]] int seed() const;
    void setCheckpoints(const std::vector<store::CheckpointRow>& rows);
    /// In place of no text.
    void suggest(const QString& text);
    void setResult(const QString& text);
    void setProblem(const QString& text);
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void changed();
    void checkpointChanged();

private:
    QLineEdit* text_;
    QComboBox* checkpoint_;
    NumberControl* noise_;
    QSpinBox* seed_;
    QLabel *result_, *problem_;
};

}  // namespace kurve::views
