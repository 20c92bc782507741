#pragma once

#include <QWidget>
#include <filesystem>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace kurve::views {

class Draft;

/// The draft as an experiment file, which can be saved in the project.
class DraftFile : public QWidget {
    Q_OBJECT
public:
    /// `experiments`: the project's folder of them.
    explicit DraftFile(std::filesystem::path experiments, QWidget* parent = nullptr);
    void showDraft(const Draft& draft);
    [[nodiscard]] QString text() const;
    void focusName();

Q_SIGNALS:
    /// The absolute path in the folder of experiments.
    void saved(const QString& file);
    void said(const QString& text);

private:
    void save();

    std::filesystem::path experiments_;
    QPlainTextEdit* text_;
    QLineEdit* name_;
    QPushButton* save_;
};

}  // namespace kurve::views
