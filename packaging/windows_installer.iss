; Inno Setup script: installs the built folder for one user, and has the program register itself for .tine files.
; Built by the release workflow: iscc /DVersion=1.2.3 packaging\windows_installer.iss
#ifndef Version
  #define Version "0.0.0"
#endif

[Setup]
AppId={{7B3B4E52-6A0E-4F5C-9C0B-6C1B3B3E1D57}
AppName=opentine-gui
AppVersion={#Version}
AppPublisher=opentine-gui contributors
DefaultDirName={autopf}\opentine-gui
DefaultGroupName=opentine
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesAssociations=yes
LicenseFile=..\LICENSE
OutputDir=..\dist
OutputBaseFilename=opentine-gui-{#Version}-setup
UninstallDisplayIcon={app}\opentine-gui.exe
Compression=lzma2
SolidCompression=yes

[Files]
Source: "..\dist\opentine-gui\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{autoprograms}\opentine"; Filename: "{app}\opentine-gui.exe"

[Tasks]
Name: associate; Description: "Open .tine files with opentine"

[Run]
Filename: "{app}\opentine-gui.exe"; Parameters: "associate"; Flags: runhidden; Tasks: associate

[UninstallRun]
Filename: "{app}\opentine-gui.exe"; Parameters: "associate --remove"; Flags: runhidden; RunOnceId: "Dissociate"
