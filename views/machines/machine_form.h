#pragma once

#include <QWidget>

#include "core/base/result.h"
#include "core/remote/machines.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace kurve::views {

/// The fields of one machine. Nothing is written before Save; Revert shows again what is in the file.
class MachineForm : public QWidget {
    Q_OBJECT
public:
    explicit MachineForm(QWidget* parent = nullptr);
    /// The machine called `name` in the file, or a new one (an empty name). `defaultFolder`: what an empty
    /// folder stands for.
    void setMachine(const remote::Machine& machine, const QString& defaultFolder);
    /// As in the file; empty: a new one.
    [[nodiscard]] QString savedName() const { return QString::fromStdString(saved_.name); }
    [[nodiscard]] bool isChanged() const;
    void showResult(const Status& saved);
    void focusName();

Q_SIGNALS:
    void saveRequested(const kurve::remote::Machine& machine);

private:
    [[nodiscard]] remote::Machine machine() const;
    void revert();
    void showState();

    remote::Machine saved_;
    std::string defaultFolder_;
    QLineEdit *name_, *host_, *program_, *folder_;
    QLabel* problem_;
    QPushButton *save_, *revert_;
};

}  // namespace kurve::views
