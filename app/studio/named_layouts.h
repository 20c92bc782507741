#pragma once

#include <QJsonObject>
#include <QString>
#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace kurve::studio {

/// An arrangement of the window under a name.
struct NamedLayout {
    QString name;
    std::filesystem::path file;
    QJsonObject arrangement;  ///< as LayoutKeeper gives it; empty where `problem` is not
    QString problem;          ///< why the file cannot be used
};

/// The named layouts of a project: a JSON file each in its folder layouts/, to be copied and shared. What
/// somebody else puts there is listed too; a damaged file says so and harms no other.
class NamedLayouts {
public:
    explicit NamedLayouts(std::filesystem::path folder) : folder_(std::move(folder)) {}
    /// In alphabetical order. Reads the folder.
    [[nodiscard]] std::vector<NamedLayout> list() const;
    /// Takes the place of the one with this name, if there is one. Errors: layout.name, io.write.
    Status save(const QString& name, const QJsonObject& arrangement) const;
    /// Errors: layout.exists, layout.name, io.write.
    Status rename(const NamedLayout& layout, const QString& name) const;
    /// Errors: io.write.
    Status remove(const NamedLayout& layout) const;

private:
    [[nodiscard]] std::filesystem::path freeFile(const QString& name) const;

    std::filesystem::path folder_;
};

}  // namespace kurve::studio
